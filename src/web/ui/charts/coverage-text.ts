/** On which days the market was read, in words. */
import type { PrixDuMarche } from "#contract/filtres/rejeu.ts";
import { formatCounted } from "../format-panel.ts";
import { formatDay } from "./day-text.ts";

type Coverage = PrixDuMarche["couverture"];

/**
 * "Vu depuis le 3 novembre (19 jours sur 30)"; null: never.
 * @param days of the period
 */
export function coverageText({ depuis, jours }: Coverage, days: number): string | null {
  if (depuis === null) return null;
  return `Vu depuis le ${formatDay(depuis)} (${formatCounted(jours, "jour", "jours")} sur ${days})`;
}

/** "Historique d'exemple jusqu'au 24 novembre"; null outside of the sandbox. */
export function exampleText({ exemple_jusqu_au: until }: Coverage): string | null {
  return until === null ? null : `Historique d'exemple jusqu'au ${formatDay(until)}`;
}

export const NEVER_READ_TEXT = "Ces types n'ont encore jamais été lus : activez un filtre.";
