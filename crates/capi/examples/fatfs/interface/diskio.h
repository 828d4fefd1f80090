/* What FatFs's diskio.h asks of a disk, declared anew for builds without FatFs. */
#ifndef WORDLINE_EXAMPLE_DISKIO_H
#define WORDLINE_EXAMPLE_DISKIO_H

typedef BYTE DSTATUS;
typedef enum { RES_OK = 0, RES_ERROR, RES_WRPRT, RES_NOTRDY, RES_PARERR } DRESULT;

enum { STA_NOINIT = 1, STA_NODISK = 2, STA_PROTECT = 4 };
enum { CTRL_SYNC = 0, GET_SECTOR_COUNT = 1, GET_SECTOR_SIZE = 2, GET_BLOCK_SIZE = 3, CTRL_TRIM = 4 };

DSTATUS disk_initialize(BYTE pdrv);
DSTATUS disk_status(BYTE pdrv);
DRESULT disk_read(BYTE pdrv, BYTE *buff, LBA_t sector, UINT count);
DRESULT disk_write(BYTE pdrv, const BYTE *buff, LBA_t sector, UINT count);
DRESULT disk_ioctl(BYTE pdrv, BYTE cmd, void *buff);

#endif
