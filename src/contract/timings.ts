/** How often filters and purchases are read again, with the keep-alive (specification §9). */
export const REFRESH_INTERVAL_MS = 60_000;

/** How often the browser asks for new listings (specification §9). */
export const FLUX_POLL_INTERVAL_MS = 5_000;

/** The client's connection (specification §9). */
export const SOCKET_TIMEOUT_MS = 20_000;
export const SOCKET_RECONNECTION_DELAY_MS = 1_000;
export const SOCKET_RECONNECTION_DELAY_MAX_MS = 5_000;
export const SOCKET_RANDOMIZATION_FACTOR = 0.5;

/** A longer backlog comes in several events. */
export const FLUX_MAX_ITEMS = 50;
