/* All limits of c4w in one place, each with its reason. A file that goes beyond one is refused with C4W_LIMIT
 * (exit 4) and the message names the limit. */
#ifndef C4W_BASE_LIMITS_H
#define C4W_BASE_LIMITS_H

#define C4W_MIB (1024ULL * 1024ULL)

#define C4W_LIMIT_JSON_DEPTH 256            /* manifests nest below 10; bounds the parser's stack */
#define C4W_LIMIT_YAML_DEPTH 64             /* metadata nests below 8; aliases count expanded */
#define C4W_LIMIT_YAML_NODES 1000000        /* "billion laughs" stops here */
#define C4W_LIMIT_YAML_BYTES (16 * C4W_MIB) /* largest metadata seen is 20 KB */
#define C4W_LIMIT_NPY_HEADER (1 * C4W_MIB)  /* numpy itself warns at 10,000 */
#define C4W_LIMIT_NPZ_MEMBERS (256 * C4W_MIB) /* sum of entry sizes of one record: the reference's own limit */
#define C4W_LIMIT_ZIP_DIRECTORY (1024 * C4W_MIB) /* 10 million entries; it is held in memory while the archive is open */
#define C4W_LIMIT_DOCUMENT (1 * C4W_MIB)    /* schema documents: the reference's own limit */
#define C4W_LIMIT_ROOT_JSON (16 * C4W_MIB)  /* c4w-root.json is 2 KB */
#define C4W_LIMIT_SNAPSHOT (1024 * C4W_MIB) /* about 8 MB a group */
#define C4W_LIMIT_RECIPE 8000000            /* the reference's own limit, in bytes */
#define C4W_LIMIT_THRIFT_DEPTH 32           /* Parquet's own structures nest below 10 */
#define C4W_LIMIT_PARQUET_DEPTH 64          /* nodes from the root to a leaf; levels must fit a byte */
#define C4W_LIMIT_PARQUET_FIXED (16 * C4W_MIB)   /* bytes a value of a fixed-length column */
#define C4W_LIMIT_PARQUET_PAGE (1024 * C4W_MIB)  /* dictionary pages of 61 MB are honest */
#define C4W_LIMIT_PARQUET_PAGE_VALUES (64 * C4W_MIB) /* of a page with less than a byte per 256 values: runs of one value */
#define C4W_LIMIT_PARQUET_BATCH (1024 * C4W_MIB) /* what a column may decode to, plus 256 times its bytes in the file */
#define C4W_LIMIT_PARQUET_FOOTER (256 * C4W_MIB) /* footers of 130 MB are honest */
#define C4W_LIMIT_TIMEF_MANIFEST (256 * C4W_MIB) /* about 200 bytes a file; a Zarr copy may list a million */
#define C4W_LIMIT_ZARR_CHUNK (1024 * C4W_MIB) /* packed or unpacked; the TimeF writer's chunks have 1 MiB */
#define C4W_LIMIT_ZSTD_WINDOW_LOG 27        /* 128 MiB, zstd's own default for streams */
#define C4W_LIMIT_PAX_RECORD (1 * C4W_MIB)  /* a path of 4,096 bytes needs 4.2 KB */
#define C4W_LIMIT_PAX_HEADER (16 * C4W_MIB) /* all records of one member; maps of sparse files make them long */
#define C4W_LIMIT_PATH 4095                 /* bytes of a path that is written: what the system opens in one call; longer ones could be written and not read */
#define C4W_LIMIT_SUMS (1024 * C4W_MIB)     /* a checksum list is read whole; ten million names fit */
#define C4W_LIMIT_MEMORY (1024 * C4W_MIB)   /* default of --memory: sum of the costs of items in work */

/* Sizes from which something is done another way; nothing is refused. */
#define C4W_PSG_WHOLE (16 * C4W_MIB) /* tensors up to this (R = 1024 has 12 MiB) are decoded at once: in large pages that is the fastest; at 48 MiB
				      * pieces are as fast, above faster */
#define C4W_PSG_STEP (256 * 1024)    /* a piece of a larger one, which stays in a core's cache until it is written; up to 1 MiB differ little */
#define C4W_PSG_WINDOW (8 * C4W_MIB) /* zstd's window for pieces: real blobs have 4 MiB; above it decoding at once may take less memory */
#define C4W_RESERVE (1 * C4W_MIB)    /* room for files above this is reserved before they are written, for below that costs more than it saves */

#endif
