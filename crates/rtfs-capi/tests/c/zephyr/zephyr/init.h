/* As kernel.h: written for the test of the glue. */
#ifndef TEST_ZEPHYR_INIT_H
#define TEST_ZEPHYR_INIT_H

#define SYS_INIT(function, level, priority) int (*const test_sys_init)(void) = function

#endif
