/** The five conditions of a listing (specification §3), best first. */
import { foldText } from "./fold-text.ts";

const conditionList = [
  { id: 6, label: "Neuf avec étiquette", order: 5 },
  { id: 1, label: "Neuf sans étiquette", order: 10 },
  { id: 2, label: "Très bon état", order: 20 },
  { id: 3, label: "Bon état", order: 30 },
  { id: 4, label: "Satisfaisant", order: 40 },
] as const;

export type ConditionId = (typeof conditionList)[number]["id"];

export interface Condition {
  readonly id: ConditionId;
  readonly label: string;
  readonly order: number;
}

/** The conditions by order, best first. */
export const conditions: readonly Condition[] = conditionList;

const conditionsById: ReadonlyMap<number, Condition> = new Map(
  conditions.map((condition) => [condition.id, condition]),
);
/** By the label exactly as above, which most listings have and needs no folding, and by the folded label. */
const idsByLabel = new Map(
  conditions.flatMap(({ id, label }) => [[label, id] as const, [foldText(label), id] as const]),
);

export function conditionById(id: number): Condition | undefined {
  return conditionsById.get(id);
}

/** The condition of a listing's text, ignoring case and accents; null for an empty or unknown text. */
export function conditionIdForLabel(label: string): ConditionId | null {
  return idsByLabel.get(label) ?? idsByLabel.get(foldText(label)) ?? null;
}
