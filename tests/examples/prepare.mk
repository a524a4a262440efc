# A subset of a release and its cache. A second run does nothing; after a download, only what changed is made again.
#
#     make -f prepare.mk RELEASE=path/to/release SELECT="--split test --components core,positions"
C4W ?= c4w
RELEASE ?= release
SELECT ?= --split test --components core,positions

all: arrays/c4w-root.json

subset/c4w-root.json: $(RELEASE)/c4w-root.json
	$(C4W) extract $(RELEASE) subset $(SELECT) --skip-existing --depfile subset.d
	@touch $@

arrays/c4w-root.json: subset/c4w-root.json
	$(C4W) to-cache subset arrays $(SELECT) --skip-existing --depfile arrays.d
	@touch $@

-include subset.d arrays.d
