import { NO_RULES } from "#domain/buying-rules.ts";
import { type Filter, openCriteria } from "#domain/market/filter.ts";
import { asFilterId, asUserId } from "#domain/ids.ts";
import { A_MOMENT_MS } from "./fake-clock.ts";

/** An active filter for articles up to 100 EUR, without automatic purchases. */
export function aFilter(traits: Partial<Filter> = {}): Filter {
  return {
    id: asFilterId("0193-filter"),
    userId: asUserId("0193-user"),
    tag: "Tout",
    info: "",
    ...openCriteria,
    priceCapEur: 100,
    isActive: true,
    isAutobuy: false,
    isPrivate: false,
    paymentMethodId: 1,
    maxPurchases: null,
    isSimulation: false,
    alertMode: "loud",
    alertMaxPerHour: 6,
    createdAtMs: A_MOMENT_MS,
    activatedAtMs: A_MOMENT_MS,
    rules: NO_RULES,
    autobuySinceMs: null,
    copies: 0,
    groupId: null,
    autobuyEnd: null,
    ...traits,
  };
}
