/* Figures of a channel: a link's delay profile and angles, or a map of the record's scene. */
#ifndef C4W_FAMILIES_CHW_PLOT_H
#define C4W_FAMILIES_CHW_PLOT_H

#include "families/chw_channel.h"
#include "model/figure.h"

/* Power over delay as stems; angles of departure and arrival as azimuth over zenith; paths are called by their rank. C4W_ABSENT when the
 * UE has no retained link. `f` is initialised by the caller. */
int chw_plot_link(const struct chw_channel *c, int64_t ue, bool radians, struct c4w_figure *f, struct c4w_err *err) C4W_MUST_CHECK;

/* UEs from above, coloured by what their link to the base station is like; base stations marked. C4W_ABSENT without positions. */
int chw_plot_map(const struct chw_channel *c, enum chw_color_by by, struct c4w_figure *f, struct c4w_err *err) C4W_MUST_CHECK;

#endif
