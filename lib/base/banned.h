/* What must not be called, and what to call instead. Force-included into every file of lib/ and cmd/ by the Makefile.
 * The C library's own headers come first, so that their declarations are not poisoned. */
#ifndef C4W_BASE_BANNED_H
#define C4W_BASE_BANNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#pragma GCC poison strcpy strcat strncpy strncat sprintf vsprintf gets strtok /* snprintf, c4w_buf_* */
#pragma GCC poison atoi atol atoll atof                                       /* numbers.h: they say when they fail */
#pragma GCC poison strerror                                                   /* strerror_r: threads */
#pragma GCC poison asctime ctime gmtime localtime                             /* *_r */
#pragma GCC poison system popen tmpnam mktemp

#endif
