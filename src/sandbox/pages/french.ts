const euros = new Intl.NumberFormat("fr-FR", { style: "currency", currency: "EUR" });
const day = new Intl.DateTimeFormat("fr-FR", {
  dateStyle: "long",
  timeStyle: "short",
  timeZone: "Europe/Paris",
});
const relative = new Intl.RelativeTimeFormat("fr-FR", { numeric: "auto" });

export function frenchAmount(cents: number): string {
  return euros.format(cents / 100);
}

export function frenchMoment(atMs: number): string {
  return day.format(atMs);
}

/** "il y a 4 minutes" */
export function frenchAgo(atMs: number, nowMs: number): string {
  const seconds = Math.round((atMs - nowMs) / 1_000);
  if (seconds > -60) return relative.format(seconds, "second");
  if (seconds > -3_600) return relative.format(Math.round(seconds / 60), "minute");
  return relative.format(Math.round(seconds / 3_600), "hour");
}
