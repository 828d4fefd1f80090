/* The integer types of FatFs's ff.h that diskio.c needs, for builds without FatFs. */
#ifndef WORDLINE_EXAMPLE_FF_H
#define WORDLINE_EXAMPLE_FF_H

#include <stdint.h>

typedef unsigned int UINT;
typedef unsigned char BYTE;
typedef uint16_t WORD;
typedef uint32_t DWORD;
typedef uint32_t LBA_t;

#endif
