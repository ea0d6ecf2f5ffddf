/** Quiet hours by the wall clock of Europe/Paris. */
import type { AlertSettings } from "#domain/alert.ts";

const ZONE = "Europe/Paris";
const MINUTES_PER_HOUR = 60;

/** From `startMs` (inclusive) to `endMs` (exclusive). */
export interface QuietHours {
  readonly startMs: number;
  readonly endMs: number;
}

/**
 * The current quiet hours, or the next ones. Times that a day does not have, or has twice, are resolved by
 * `Temporal` as "compatible": later in spring, the first one in autumn. So each night has one end.
 * @returns null if they are off; a night that would end before its start is skipped
 */
export function quietHoursFrom(quiet: AlertSettings["quiet"], atMs: number): QuietHours | null {
  if (!quiet.isOn || quiet.from === quiet.to) return null;
  const today = Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(ZONE).toPlainDate();
  for (const days of [-1, 0, 1, 2]) {
    const night = nightOf(quiet, today.add({ days }));
    if (night.endMs > night.startMs && atMs < night.endMs) return night;
  }
  return null;
}

/** The quiet hours that begin on a day. */
function nightOf({ from, to }: AlertSettings["quiet"], day: Temporal.PlainDate): QuietHours {
  const end = to > from ? day : day.add({ days: 1 });
  return { startMs: momentOf(day, from), endMs: momentOf(end, to) };
}

function momentOf(day: Temporal.PlainDate, minutes: number): number {
  const time = Temporal.PlainTime.from({
    hour: Math.trunc(minutes / MINUTES_PER_HOUR),
    minute: minutes % MINUTES_PER_HOUR,
  });
  return day.toPlainDateTime(time).toZonedDateTime(ZONE, { disambiguation: "compatible" }).epochMilliseconds;
}

/** Caches a person's next quiet hours, which every match needs. */
export class QuietClock {
  readonly #quiet: AlertSettings["quiet"];
  #known: QuietHours | null = null;
  /** The moment for which they were computed: they are the answer from then until their end. */
  #knownFromMs = Infinity;

  constructor(quiet: AlertSettings["quiet"]) {
    this.#quiet = quiet;
  }

  /** The quiet hours that contain a moment; null outside of them. */
  at(atMs: number): QuietHours | null {
    if (!this.#quiet.isOn) return null;
    // An earlier moment may belong to an earlier night.
    if (this.#known === null || atMs < this.#knownFromMs || atMs >= this.#known.endMs) {
      this.#known = quietHoursFrom(this.#quiet, atMs);
      this.#knownFromMs = atMs;
    }
    return this.#known !== null && atMs >= this.#known.startMs ? this.#known : null;
  }
}
