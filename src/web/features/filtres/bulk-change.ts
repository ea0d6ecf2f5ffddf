/** The state of the bulk edit form, its validation and the request made from it. Pure. */
import type { Changement } from "#contract/filtres/filtre-input.ts";
import { MAX_LIMIT_EUR } from "#contract/bounds.ts";
import { wholeEurosIn } from "../../ui/format-panel.ts";
import { wordsOf, wordsProblem } from "./form/draft.ts";

export type ActiveChange = "keep" | "on" | "off";
export type LimitChange = "keep" | "set" | "raise" | "lower";

export interface BulkDraft {
  readonly active: ActiveChange;
  readonly stopsAutobuy: boolean;
  readonly limit: LimitChange;
  readonly amountText: string;
  readonly addedText: string;
  readonly removedText: string;
  readonly excludedText: string;
  readonly includedAgainText: string;
}

export const NO_CHANGE: BulkDraft = {
  active: "keep",
  stopsAutobuy: false,
  limit: "keep",
  amountText: "",
  addedText: "",
  removedText: "",
  excludedText: "",
  includedAgainText: "",
};

/** The request's change; empty while the draft changes nothing. */
export function changeOf(draft: BulkDraft): Changement {
  const amount = wholeEurosIn(draft.amountText) ?? 0;
  return {
    ...(draft.active === "keep" ? {} : { active: draft.active === "on" }),
    ...(draft.stopsAutobuy ? { autobuy: false } : {}),
    ...(draft.limit === "set" ? { limit: amount } : {}),
    ...(draft.limit === "raise" ? { limit_delta: amount } : {}),
    ...(draft.limit === "lower" ? { limit_delta: -amount } : {}),
    ...words("mots_ajout", draft.addedText),
    ...words("mots_retrait", draft.removedText),
    ...words("exclure_ajout", draft.excludedText),
    ...words("exclure_retrait", draft.includedAgainText),
  };
}

function words(field: keyof Changement, text: string): Changement {
  const list = wordsOf(text);
  return list.length === 0 ? {} : { [field]: list };
}

/** Validation messages in French, by field; empty for a valid draft. */
export function bulkProblemsOf(draft: BulkDraft): Partial<Record<keyof BulkDraft, string>> {
  const amount = wholeEurosIn(draft.amountText);
  const isAmountWrong = draft.limit !== "keep" && (amount === null || amount < 1 || amount > MAX_LIMIT_EUR);
  const texts = ["addedText", "removedText", "excludedText", "includedAgainText"] as const;
  const wrongWords = texts.flatMap((field) => {
    const problem = wordsProblem(draft[field]);
    return problem === undefined ? [] : [[field, problem] as const];
  });
  return {
    ...(isAmountWrong ? { amountText: "Un montant de 1 à 100\u00a0000 €." } : {}),
    ...Object.fromEntries(wrongWords),
  };
}

const FIELDS_BY_WIRE_NAME: Readonly<Record<string, keyof BulkDraft>> = {
  limit: "amountText",
  limit_delta: "amountText",
  mots_ajout: "addedText",
  exclure_ajout: "excludedText",
};

/** The form field of a request field ("changement.limit_delta"); undefined if no field can show its error. */
export function bulkFieldOfWire(name: string | undefined): keyof BulkDraft | undefined {
  return name === undefined ? undefined : FIELDS_BY_WIRE_NAME[name.replace(/^changement\./u, "")];
}
