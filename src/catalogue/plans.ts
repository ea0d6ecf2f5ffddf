/** The subscription plans and what each allows (specification §6, contract §2). */
export type PlanKey = "none" | "seeker" | "acquire" | "thunder";

/** The lane of a plan's purchases; "thunder" always goes first. */
type Lane = "click" | "acquire" | "thunder";

interface PlanFeature {
  readonly label: string;
  readonly isIncluded: boolean;
}

export interface Plan {
  readonly key: PlanKey;
  readonly label: string;
  /** Whole euros a month. */
  readonly priceEur: number;
  /** 0: the main screens are hidden. */
  readonly level: 0 | 1 | 2;
  readonly hasAutobuy: boolean;
  /** Null for a plan that cannot buy. */
  readonly lane: Lane | null;
  readonly isMostPopular: boolean;
  /** In display order. */
  readonly features: readonly PlanFeature[];
}

const plansByKey: Readonly<Record<PlanKey, Plan>> = {
  none: {
    key: "none",
    label: "Liste d'attente",
    priceEur: 0,
    level: 0,
    hasAutobuy: false,
    lane: null,
    isMostPopular: false,
    features: [],
  },
  seeker: {
    key: "seeker",
    label: "Seeker",
    priceEur: 20,
    level: 1,
    hasAutobuy: false,
    lane: "click",
    isMostPopular: false,
    features: featuresOf("Support de base", 3),
  },
  acquire: {
    key: "acquire",
    label: "Acquire",
    priceEur: 60,
    level: 1,
    hasAutobuy: true,
    lane: "acquire",
    isMostPopular: true,
    features: featuresOf("Support prioritaire", 4),
  },
  thunder: {
    key: "thunder",
    label: "Thunder",
    priceEur: 100,
    level: 2,
    hasAutobuy: true,
    lane: "thunder",
    isMostPopular: false,
    features: featuresOf("Support prioritaire", 5),
  },
};

/** The features in display order, the first of which are included. */
function featuresOf(support: string, includedCount: number): readonly PlanFeature[] {
  return ["Scraper", "Achat en un clic", support, "Acquire", "Thunder"].map((label, index) => ({
    label,
    isIncluded: index < includedCount,
  }));
}

/** All plans: the waiting list, then by price. */
export const plans: readonly Plan[] = Object.values(plansByKey);

export function planByKey(key: PlanKey): Plan {
  return plansByKey[key];
}

/** The name of auto-buy for a level (specification §6): 'Acquire', from 2 on 'Thunder'; null below 1. */
export function autobuyLabel(level: number): "Acquire" | "Thunder" | null {
  if (level >= 2) return "Thunder";
  return level >= 1 ? "Acquire" : null;
}
