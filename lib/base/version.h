/* The version of the tool and the library: one place. */
#ifndef C4W_BASE_VERSION_H
#define C4W_BASE_VERSION_H

#define C4W_VERSION "0.1.0"
#define C4W_DATE "November 30, 2026" /* of this version, in manual pages */

#endif
