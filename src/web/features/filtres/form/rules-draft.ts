/** The form state of the buying rules, and their summary in French. Pure. */
import {
  MAX_BUDGET_EUR,
  MAX_FAILURES_STOP,
  MAX_PAUSE_MINUTES,
  MAX_SELLER_PURCHASES,
} from "#contract/bounds.ts";
import type { Regles } from "#contract/filtres/regles.ts";
import { formatCount, formatEuros } from "../../../ui/format.ts";
import { plural, wholeEurosIn } from "../../../ui/format-panel.ts";
import { HALF_TYPED_TIME, halfTypedProblem } from "../../../ui/pickers/time-text.ts";

/** An empty text means no rule. */
export interface RulesDraft {
  readonly dayBudgetText: string;
  readonly totalBudgetText: string;
  /** "HH:MM" or `HALF_TYPED_TIME`. */
  readonly fromTime: string;
  readonly toTime: string;
  /** 1 = lundi … 7; none = all. */
  readonly days: readonly number[];
  readonly pauseText: string;
  readonly sellerCountText: string;
  readonly failuresText: string;
}

export const emptyRules: RulesDraft = {
  dayBudgetText: "",
  totalBudgetText: "",
  fromTime: "",
  toTime: "",
  days: [],
  pauseText: "",
  sellerCountText: "",
  failuresText: "",
};

export const RULE_FIELDS_BY_WIRE_NAME = {
  "regles.budget_jour": "dayBudgetText",
  "regles.budget_total": "totalBudgetText",
  "regles.heures": "toTime",
  "regles.heures.de": "fromTime",
  "regles.heures.a": "toTime",
  "regles.jours": "days",
  "regles.pause": "pauseText",
  "regles.vendeur_jour": "sellerCountText",
  "regles.echecs": "failuresText",
} as const satisfies Readonly<Record<string, keyof RulesDraft>>;

const textOf = (rule: number | null): string => (rule === null ? "" : String(rule));

export function rulesDraftOf(regles: Regles): RulesDraft {
  return {
    dayBudgetText: textOf(regles.budget_jour),
    totalBudgetText: textOf(regles.budget_total),
    fromTime: regles.heures?.de ?? "",
    toTime: regles.heures?.a ?? "",
    days: regles.jours,
    pauseText: textOf(regles.pause),
    sellerCountText: textOf(regles.vendeur_jour),
    failuresText: textOf(regles.echecs),
  };
}

/** The rules in the request's format; only for a valid draft. */
export function reglesOf(draft: RulesDraft): Regles {
  const { fromTime, toTime } = draft;
  return {
    budget_jour: wholeEurosIn(draft.dayBudgetText),
    budget_total: wholeEurosIn(draft.totalBudgetText),
    heures: fromTime === "" || toTime === "" ? null : { de: fromTime, a: toTime },
    jours: [...draft.days],
    pause: countIn(draft.pauseText),
    vendeur_jour: countIn(draft.sellerCountText),
    echecs: countIn(draft.failuresText),
  };
}

/** Parses a whole number; null for an empty text, NaN for anything else. */
export function countIn(text: string): number | null {
  const written = text.trim();
  if (written === "") return null;
  return /^\d+$/u.test(written) ? Number(written) : NaN;
}

/** Validation messages in French, by field; empty for valid rules. */
export function rulesProblemsOf(draft: RulesDraft): Partial<Record<keyof RulesDraft, string>> {
  const { fromTime, toTime } = draft;
  const problems: Partial<Record<keyof RulesDraft, string>> = {};
  for (const field of ["dayBudgetText", "totalBudgetText"] as const) {
    const budget = wholeEurosIn(draft[field]) ?? NaN;
    const isAmount = budget >= 1 && budget <= MAX_BUDGET_EUR;
    if (draft[field].trim() !== "" && !isAmount)
      problems[field] = `Un montant de 1 à ${formatCount(MAX_BUDGET_EUR)} €, ou rien.`;
  }
  for (const [field, most] of COUNTS) {
    const count = countIn(draft[field]);
    if (count !== null && !(Number.isInteger(count) && count >= 1 && count <= most))
      problems[field] = `Un nombre de 1 à ${formatCount(most)}, ou rien.`;
  }
  if (fromTime === "" && toTime !== "") problems.fromTime = "Indiquez aussi l'heure de début.";
  if (fromTime !== "" && toTime === "") problems.toTime = "Indiquez aussi l'heure de fin.";
  if (fromTime !== "" && fromTime === toTime) problems.toTime = "La fin doit différer du début.";
  for (const field of ["fromTime", "toTime"] as const)
    if (draft[field] === HALF_TYPED_TIME) problems[field] = halfTypedProblem;
  return problems;
}

const COUNTS = [
  ["pauseText", MAX_PAUSE_MINUTES],
  ["sellerCountText", MAX_SELLER_PURCHASES],
  ["failuresText", MAX_FAILURES_STOP],
] as const;

export const WEEKDAYS = ["lun.", "mar.", "mer.", "jeu.", "ven.", "sam.", "dim."] as const;

/** "60 € par jour, 8 h – 23 h, lun. – sam."; "aucune" without any. */
export function rulesSummary(regles: Regles): string {
  const { heures, jours, pause, vendeur_jour: perSeller, echecs } = regles;
  const parts = [
    regles.budget_jour === null ? "" : `${formatEuros(regles.budget_jour)} par jour`,
    regles.budget_total === null ? "" : `${formatEuros(regles.budget_total)} en tout`,
    heures === null ? "" : `${hourText(heures.de)} – ${hourText(heures.a)}`,
    daysText(jours),
    pause === null ? "" : `pause de ${formatCount(pause)} min`,
    perSeller === null ? "" : `${formatCount(perSeller)} par vendeur et par jour`,
    echecs === null ? "" : `arrêt après ${formatCount(echecs)} ${plural(echecs, "échec", "échecs")}`,
  ].filter((part) => part !== "");
  return parts.length === 0 ? "aucune" : parts.join(", ");
}

/** "8 h", "22 h 30". */
function hourText(time: string): string {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return minutes === 0 ? `${hours}\u00A0h` : `${hours}\u00A0h\u00A0${String(minutes).padStart(2, "0")}`;
}

/** "lun. – sam.", "lun., mer."; "" for every day. */
function daysText(days: readonly number[]): string {
  const named = days.toSorted((one, other) => one - other).map((day) => WEEKDAYS[day - 1] ?? "");
  const [first, last] = [days.length === 0 ? 0 : Math.min(...days), Math.max(...days)];
  if (named.length === 0 || named.length === WEEKDAYS.length) return "";
  const isRun = named.length > 2 && last - first === named.length - 1;
  return isRun ? `${named[0] ?? ""} – ${named.at(-1) ?? ""}` : named.join(", ");
}
