/* The errors of Dhara that a driver of NAND returns, declared anew for builds without Dhara. */
#ifndef WORDLINE_EXAMPLE_DHARA_ERROR_H
#define WORDLINE_EXAMPLE_DHARA_ERROR_H

#include <stddef.h>

typedef enum { DHARA_E_NONE = 0, DHARA_E_BAD_BLOCK, DHARA_E_ECC } dhara_error_t;

static inline void dhara_set_error(dhara_error_t *err, dhara_error_t value)
{
    if (err != NULL) {
        *err = value;
    }
}

#endif
