/** Texts of days and of market coverage for charts; days are those of Europe/Paris. */
import type { PrixDuMarche } from "#contract/filtres/rejeu.ts";
import { formatCounted } from "../format-panel.ts";

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

/** "3 nov.", "1er déc.", where space is short. */
export function formatShortDay(day: number | string): string {
  const atMs = momentOf(day);
  return `${dayNumber.format(atMs).replace(/^1$/u, "1er")}\u00A0${shortMonth.format(atMs)}`;
}

const isoDay = new Intl.DateTimeFormat("en-CA", { timeZone: "Europe/Paris" });

/** "2026-11-03". */
export function parisDayOf(atMs: number): string {
  return isoDay.format(atMs);
}

/** Noon UTC is the same day in Paris. */
function momentOf(day: number | string): number {
  return typeof day === "number" ? day : Date.parse(`${day}T12:00:00Z`);
}

type Coverage = PrixDuMarche["couverture"];

/**
 * "Vu depuis le 3 novembre (19 jours sur 30)"; null if never read.
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

/** A setting that the server writes into the panel's document; 0 if it has not. */
function writtenDays(name: "archive-days" | "price-days"): number {
  const content = document.querySelector(`meta[name="${name}"]`)?.getAttribute("content");
  return Number(content) || 0;
}

/** "sur 30 jours": the market's past that is shown, less where this installation keeps less. */
export function pastText(start = "sur"): string {
  return `${start} ${formatCounted(Math.min(writtenDays("archive-days") || 30, 30), "jour", "jours")}`;
}

/** ", vues sur 7 jours": on how many days similar listings must have been seen for automatic buying. */
export function requiredDaysText(): string {
  const days = writtenDays("price-days");
  return days === 0 ? "" : `, vues sur ${formatCounted(days, "jour", "jours")}`;
}

export const NEVER_READ_TEXT = "Ces types n'ont encore jamais été lus : activez un filtre.";
