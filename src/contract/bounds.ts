/** Bounds and codes that pages need too: separate, so that no schema library is loaded with them. */

export const MAX_TAG_LENGTH = 80;
export const MAX_INFO_LENGTH = 500;
export const MAX_SELECTED_IDS = 1_000;
export const MAX_LIMIT_EUR = 100_000;
export const MAX_WORDS = 20;
export const MAX_WORD_LENGTH = 40;
/** Maximum alternatives of one member of `mots` or `exclure`, and of all members together. */
export const MAX_ALTERNATIVES = 10;
export const MAX_ALL_WORDS = 60;
/** Maximum length of one member, quotes and spaces included. */
export const MAX_WORDS_LENGTH = 500;
export const MAX_PURCHASES_STOP = 1_000;

/** Rules of buying, and groups of filters. */
export const MAX_BUDGET_EUR = 100_000;
export const MAX_PAUSE_MINUTES = 10_080;
export const MAX_SELLER_PURCHASES = 100;
export const MAX_FAILURES_STOP = 50;
export const MAX_GROUP_PURCHASES = 100;
export const MAX_GROUP_FILTERS = 50;

/** Bounds of a file of filters. */
export const FICHIER_FORMAT = "synapse-filtres";
export const FICHIER_VERSION = 1;
export const MAX_FILE_FILTERS = 200;
export const MAX_FILE_GROUPS = 50;
export const MAX_FILE_BYTES = 512 * 1_024;

/** Maximum length of a sentence that describes a filter. */
export const MAX_SENTENCE_LENGTH = 300;

/** The price cap of a new filter, in EUR (specification §3). */
export const DEFAULT_LIMIT_EUR = 100;

export const MAX_RELAIS = 20;
export const MAX_RELAIS_LENGTH = 100;
export const MAX_POSTAL_CODE = 99_999;
export const MIN_TOKEN_LENGTH = 8;
export const MAX_TOKEN_LENGTH = 4_096;
/** The mask of a saved token, followed by its last four characters. */
export const TOKEN_MASK = "••••••••";

/** Maximum sellers per blocking request, and per person. */
export const MAX_SELLERS_AT_ONCE = 300;
export const MAX_BLOCKED_SELLERS = 2_000;
export const MAX_LOGIN_LENGTH = 100;

/** Bounds of a filter's conditions on sellers. */
export const MIN_SELLER_RATING = 1;
export const MAX_SELLER_RATING = 5;
export const MAX_SELLER_REVIEWS = 10_000;
export const MAX_SELLER_COUNTRIES = 10;

/** Purchase states of the specification §4; 3 is 'Inconnu'. */
export const ACHAT_EN_ATTENTE = 2;
export const ACHAT_CONFIRME = 1;
export const ACHAT_ANNULE = 0;
export const ACHAT_INCONNU = 3;

/** Must be typed to delete an account. */
export const DELETE_WORD = "SUPPRIMER";

/** A Discord webhook's address is about 120 characters long. */
export const MAX_WEBHOOK_LENGTH = 300;

/** Purchases per answer; older ones are requested with the id of its last one. */
export const PURCHASES_PER_PAGE = 1_000;

/** Interval at which filters and purchases are refreshed, with the keep-alive (specification §9). */
export const REFRESH_INTERVAL_MS = 60_000;

/** Interval at which the browser polls for new listings (specification §9). */
export const FLUX_POLL_INTERVAL_MS = 5_000;

/** The client's connection (specification §9). */
export const SOCKET_TIMEOUT_MS = 20_000;
export const SOCKET_RECONNECTION_DELAY_MS = 1_000;
export const SOCKET_RECONNECTION_DELAY_MAX_MS = 5_000;
export const SOCKET_RANDOMIZATION_FACTOR = 0.5;

/** Listings per event; a longer backlog is split. */
export const FLUX_MAX_ITEMS = 50;
/** Length of `affiches` in a socket's handshake; longer lists are cut. A page first shows at most 120 listings. */
export const FLUX_MAX_SHOWN = 200;

/** How a filter announces what it finds. */
export const ALERT_MODES = ["rien", "silencieux", "sonore"] as const;
/** Maximum and default articles per hour that a filter announces one by one. */
export const MAX_FILTER_ALERTS = 60;
export const DEFAULT_FILTER_ALERTS = 6;
/** Maximum articles per hour of a person. */
export const MAX_ALERTS = 120;
export const MAX_ALERT_PAUSE_MINUTES = 1_440;

/** Maximum days in the market's archive. */
export const MAX_ARCHIVE_DAYS = 90;
