/* FatFs's disk functions over wordline_memory.h. See diskio_wordline.h. */
#include "ff.h"

#include "diskio.h"

#include <string.h>

#include "diskio_wordline.h"

static struct drive {
    wl_memory *memory;
    wl_memory_info info;
    uint32_t sector_bytes;
    DSTATUS status;
} drives[DISKIO_WORDLINE_DRIVES];

int diskio_wordline_attach(unsigned char pdrv, wl_memory *memory)
{
    struct drive drive;
    memset(&drive, 0, sizeof drive);
    if (pdrv >= DISKIO_WORDLINE_DRIVES) {
        return -1;
    }
    drive.memory = memory;
    drive.status = memory ? STA_NOINIT : STA_NOINIT | STA_NODISK;
    if (memory) {
        drive.info.size = sizeof drive.info;
        if (wl_memory_get_info(memory, &drive.info) != WL_MEMORY_OK) {
            return -1;
        }
        drive.sector_bytes = drive.info.kind == WL_MEMORY_BYTES ? 512 : (uint32_t)drive.info.block_bytes;
        if (drive.sector_bytes < 512 || drive.sector_bytes > 4096 || (drive.sector_bytes & (drive.sector_bytes - 1)) != 0
                || drive.sector_bytes % drive.info.write_bytes != 0) {
            return -1;
        }
    }
    drives[pdrv] = drive;
    return 0;
}

static struct drive *drive_of(BYTE pdrv)
{
    return pdrv < DISKIO_WORDLINE_DRIVES && drives[pdrv].memory ? &drives[pdrv] : NULL;
}

/* A drive that lost its power has to be initialized again. */
static DRESULT result_of(struct drive *drive, wl_memory_status status)
{
    switch (status) {
    case WL_MEMORY_OK:
        return RES_OK;
    case WL_MEMORY_POWER_LOST:
        drive->status |= STA_NOINIT;
        return RES_NOTRDY;
    case WL_MEMORY_BAD_ARGUMENT:
    case WL_MEMORY_OUT_OF_RANGE:
        return RES_PARERR;
    default:
        return RES_ERROR;
    }
}

DSTATUS disk_status(BYTE pdrv)
{
    struct drive *drive = drive_of(pdrv);
    return drive ? drive->status : (DSTATUS)(STA_NOINIT | STA_NODISK);
}

DSTATUS disk_initialize(BYTE pdrv)
{
    struct drive *drive = drive_of(pdrv);
    wl_memory_status status;
    if (!drive) {
        return (DSTATUS)(STA_NOINIT | STA_NODISK);
    }
    status = wl_memory_power_up(drive->memory);
    if (status == WL_MEMORY_OK || status == WL_MEMORY_MISUSE) { /* MISUSE: there is power */
        drive->status = (DSTATUS)(drive->status & ~STA_NOINIT);
    }
    return drive->status;
}

DRESULT disk_read(BYTE pdrv, BYTE *buff, LBA_t sector, UINT count)
{
    struct drive *drive = drive_of(pdrv);
    uint64_t at;
    if (!drive || (drive->status & STA_NOINIT)) {
        return RES_NOTRDY;
    }
    at = (uint64_t)sector * drive->sector_bytes;
    return result_of(drive, wl_memory_read(drive->memory, at, buff, (uint64_t)count * drive->sector_bytes));
}

static wl_memory_status write_flash(struct drive *drive, uint64_t at, const BYTE *data, uint64_t bytes)
{
    wl_memory_status status = WL_MEMORY_OK;
    uint64_t done;
    /* Sector by sector, so that a power loss takes no more than one. */
    for (done = 0; done < bytes && status == WL_MEMORY_OK; done += drive->sector_bytes) {
        status = wl_memory_erase(drive->memory, (uint32_t)((at + done) / drive->sector_bytes));
        if (status == WL_MEMORY_OK) {
            status = wl_memory_program(drive->memory, at + done, data + done, drive->sector_bytes);
        }
    }
    return status;
}

DRESULT disk_write(BYTE pdrv, const BYTE *buff, LBA_t sector, UINT count)
{
    struct drive *drive = drive_of(pdrv);
    uint64_t at, bytes;
    if (!drive || (drive->status & STA_NOINIT)) {
        return RES_NOTRDY;
    }
    at = (uint64_t)sector * drive->sector_bytes;
    bytes = (uint64_t)count * drive->sector_bytes;
    if (at > drive->info.bytes || bytes > drive->info.bytes - at) {
        return RES_PARERR;
    }
    return result_of(drive, drive->info.kind == WL_MEMORY_BYTES ? wl_memory_write(drive->memory, at, buff, bytes)
                                                                : write_flash(drive, at, buff, bytes));
}

static DRESULT trim(struct drive *drive, const LBA_t *range)
{
    LBA_t sector;
    if (drive->info.kind == WL_MEMORY_BYTES) {
        return RES_OK;
    }
    for (sector = range[0]; sector <= range[1]; sector++) {
        wl_memory_status status = wl_memory_erase(drive->memory, (uint32_t)sector);
        if (status != WL_MEMORY_OK) {
            return result_of(drive, status);
        }
    }
    return RES_OK;
}

DRESULT disk_ioctl(BYTE pdrv, BYTE cmd, void *buff)
{
    struct drive *drive = drive_of(pdrv);
    if (!drive || (drive->status & STA_NOINIT)) {
        return RES_NOTRDY;
    }
    switch (cmd) {
    case CTRL_SYNC:
        return result_of(drive, wl_memory_sync(drive->memory));
    case GET_SECTOR_COUNT:
        *(LBA_t *)buff = (LBA_t)(drive->info.bytes / drive->sector_bytes);
        return RES_OK;
    case GET_SECTOR_SIZE:
        *(WORD *)buff = (WORD)drive->sector_bytes;
        return RES_OK;
    case GET_BLOCK_SIZE: /* in sectors */
        *(DWORD *)buff = 1;
        return RES_OK;
    case CTRL_TRIM:
        return trim(drive, buff);
    default:
        return RES_PARERR;
    }
}
