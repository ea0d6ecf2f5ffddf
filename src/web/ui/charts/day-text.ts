/** Days as charts name them, in Europe/Paris: the days of the market are those of its people. */

const monthDay = new Intl.DateTimeFormat("fr-FR", {
  timeZone: "Europe/Paris",
  day: "numeric",
  month: "long",
});
const shortMonth = new Intl.DateTimeFormat("fr-FR", { timeZone: "Europe/Paris", month: "short" });
const dayNumber = new Intl.DateTimeFormat("fr-FR", { timeZone: "Europe/Paris", day: "numeric" });

/**
 * "3 novembre", "1er décembre".
 * @param day a moment in unix ms, or a day: "2026-11-03"
 */
export function formatDay(day: number | string): string {
  return monthDay.format(momentOf(day)).replace(/^1 /u, "1er ");
}

/** "3 nov.": where there is room for little. */
export function formatShortDay(day: number | string): string {
  const atMs = momentOf(day);
  return `${dayNumber.format(atMs)}\u00A0${shortMonth.format(atMs)}`;
}

/** Noon UTC is the same day in Paris. */
function momentOf(day: number | string): number {
  return typeof day === "number" ? day : Date.parse(`${day}T12:00:00Z`);
}
