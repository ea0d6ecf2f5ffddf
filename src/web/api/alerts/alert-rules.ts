/** What the person has set for the alerts of all devices. */
import type { QueryClient } from "@tanstack/react-query";
import type { ReglagesAlertes } from "#contract/alerte.ts";
import { alertCentre } from "./alert-centre.ts";
import { inTime } from "../commands.ts";
import { queries } from "../queries.ts";
import type { AlertRules, Silence } from "./browser-alerts.ts";

/** How long the settings may be cached: they may have been changed on another device. */
const MAX_AGE_MS = 60_000;

export function alertRulesOf(client: QueryClient): AlertRules {
  return {
    modeOf: (filterId) =>
      client.getQueryData(queries.filters.queryKey)?.find(({ _id }) => _id === filterId)?.alerte,
    silence: async () => await readSilence(client),
  };
}

async function readSilence(client: QueryClient): Promise<Silence> {
  // Without a time limit a read that is retried would wait until the page is visible.
  const read = await inTime(client.fetchQuery({ ...alertCentre, staleTime: MAX_AGE_MS, retry: false }));
  const centre = read ?? client.getQueryData(alertCentre.queryKey);
  // Better heard at night than missed.
  const reglages = centre?.reglages ?? null;
  if (reglages === null) return { isQuiet: false, isPaused: false };
  const nowMs = Date.now();
  return { isQuiet: isQuietAt(reglages, nowMs), isPaused: (reglages.pause_jusqua ?? 0) > nowMs };
}

const parisTime = new Intl.DateTimeFormat("fr-FR", {
  timeZone: "Europe/Paris",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});

/** The hours may span midnight; the end is no part of them. */
export function isQuietAt({ calme }: Pick<ReglagesAlertes, "calme">, atMs: number): boolean {
  const { actif, de, a } = calme;
  if (!actif) return false;
  const now = parisTime.format(atMs);
  return de < a ? now >= de && now < a : now >= de || now < a;
}
