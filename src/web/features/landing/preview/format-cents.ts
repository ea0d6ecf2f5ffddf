import { formatMoney } from "../../../ui/format.ts";

/** "12,50 €" of 1250. */
export function formatCents(cents: number): string {
  return formatMoney({ amount: (cents / 100).toFixed(2), currency_code: "EUR" });
}
