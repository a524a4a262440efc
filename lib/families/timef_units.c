/* Units: is a text one that pint knows? TimeF stores pint's names; the value itself is opaque here, so only the words are looked at.
 * The list holds the units of physics, medicine, weather and computing that data sets use; it is not all of pint's. Spec units that
 * are not found are reported as not checked, never as wrong. */
#include "families/timef.h"

#include <ctype.h>

/* Names, symbols and aliases, separated by blanks. Those in `plain` take no prefix. */
static const char *const prefixed[] = {
	"meter metre m second sec s gram g ampere amp A kelvin K mole mol candela cd radian rad steradian sr bit b byte B baud Bd",
	"hertz Hz newton N pascal Pa joule J watt W coulomb C volt V farad F ohm Ω siemens S weber Wb tesla T henry H lumen lm lux lx",
	"becquerel Bq gray Gy sievert Sv katal kat liter litre l L ℓ ton tonne t electron_volt eV bar gauss G calorie cal erg dyne dyn",
	"molar M poise P stokes St rem curie Ci maxwell Mx oersted Oe debye D barn parsec pc are atomic_mass_constant unified_atomic_mass_unit",
	"dalton Da Hz_ bel B_ decibel dB neper Np watt_hour Wh volt_ampere VA ampere_hour Ah var counts_per_second cps pixel px dot",
	"light_year ly year yr a annum baudrate count enzyme_unit U horsepower hp acre hectare ha foot ft inch in yard yd mile mi pound lb ounce oz",
	"equivalent beat bpm rpm revolutions_per_minute revolutions_per_second rps cycle turn revolution",
	NULL
};
static const char *const plain[] = {
	"dimensionless percent % ppm ppb permille ‰ minute min hour hr h day d week fortnight month century decade millennium eon",
	"degree deg ° arcminute arcmin arcsecond arcsec grade gon mmHg millimeter_Hg mm_Hg centimeter_H2O cmH2O cm_H2O inch_Hg inHg torr Torr",
	"degree_Celsius celsius degC °C degreeC delta_degree_Celsius Δ°C Δcelsius degree_Fahrenheit fahrenheit degF °F delta_degree_Fahrenheit",
	"degree_Rankine rankine degR degree_Reaumur atmosphere atm standard_atmosphere technical_atmosphere at psi pound_force_per_square_inch",
	"knot kt kts nautical_mile nmi mph mile_per_hour kph kilometer_per_hour fps mps speed_of_light standard_gravity g_0 g0 gravity",
	"gallon gal quart qt pint pt cup tablespoon tbsp teaspoon tsp fluid_ounce floz barrel bbl stone grain gr dram carat slug short_ton long_ton",
	"british_thermal_unit BTU Btu therm thm quad international_calorie thermochemical_calorie angstrom Å ångström micron astronomical_unit au",
	"kilogram_force kgf gram_force pound_force lbf ounce_force kip poundal cubic_centimeter cc decade octave",
	"metric_ton kilometer_per_hour square_meter cubic_meter fahrenheit_degree solar_mass lambert nit stilb clo dioptre diopter",
	"photon steps step particle molec avogadro_number bohr hartree elementary_charge speed_of_sound planck_constant",
	NULL
};
static const char *const prefixes[] = {
	"quetta", "ronna", "yotta", "zetta", "exa", "peta", "tera", "giga", "mega", "kilo", "hecto", "deca", "deka", "deci", "centi", "milli",
	"micro", "nano", "pico", "femto", "atto", "zepto", "yocto", "kibi", "mebi", "gibi", "tebi", "pebi", "exbi", "semi", "sesqui", "demi",
	"Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "da", "Y", "Z", "E", "P", "T", "G", "M", "k", "h", "d", "c", "m", "u", "\xc2\xb5", "\xce\xbc", "n", "p", "f",
	"a", "z", "y", NULL
};

static bool in_words(const char *const *rows, const char *p, size_t n)
{
	const char *s, *e;

	for (; *rows; rows++)
		for (s = *rows; *s; s = *e ? e + 1 : e) {
			for (e = s; *e && *e != ' '; e++)
				;
			if ((size_t)(e - s) == n && memcmp(s, p, n) == 0)
				return true;
		}
	return false;
}

static bool word_known(const char *p, size_t n)
{
	size_t i, k;
	int plural;

	for (plural = 0; plural < 2; plural++) {
		if (plural && (n < 4 || p[n - 1] != 's'))
			break;
		if (plural)
			n--;
		if (in_words(prefixed, p, n) || in_words(plain, p, n))
			return true;
		for (i = 0; prefixes[i]; i++) {
			k = strlen(prefixes[i]);
			if (n > k && memcmp(p, prefixes[i], k) == 0 && in_words(prefixed, p + k, n - k))
				return true;
		}
		if (plural && n > 4 && p[n - 1] == 'e' && in_words(prefixed, p, n - 1)) /* inches */
			return true;
	}
	return n == 4 && memcmp(p, "feet", 4) == 0;
}

bool c4w_timef_unit_known(struct c4w_view unit)
{
	size_t i = 0, start;

	while (i < unit.n) {
		unsigned char c = (unsigned char)unit.p[i];

		if (c == ' ' || c == '*' || c == '/' || c == '(' || c == ')' || c == '^') {
			i++;
			continue;
		}
		start = i;
		if (isdigit(c) || c == '-' || c == '+' || c == '.') { /* a factor or an exponent */
			for (i++; i < unit.n && (isdigit((unsigned char)unit.p[i]) || unit.p[i] == '.' || unit.p[i] == 'e' ||
						 ((unit.p[i] == '-' || unit.p[i] == '+') && unit.p[i - 1] == 'e')); i++)
				;
			if (i == start + 1 && !isdigit(c))
				return false;
			continue;
		}
		for (; i < unit.n && !strchr(" */()^", unit.p[i]) && unit.p[i]; i++)
			;
		if (i == start)
			return false;
		if (i - start == 3 && memcmp(unit.p + start, "per", 3) == 0)
			continue;
		if (!word_known(unit.p + start, i - start))
			return false;
	}
	return true;
}
