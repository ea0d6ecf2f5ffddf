/** The two ways to pay on the marketplace (specification §3). */
const paymentMethodList = [
  { id: 1, label: "Carte Bancaire" },
  { id: 11, label: "Vinted Wallet" },
] as const;

export type PaymentMethodId = (typeof paymentMethodList)[number]["id"];

export interface PaymentMethod {
  readonly id: PaymentMethodId;
  readonly label: string;
}

/** What a new filter and empty settings pay with (specification §3). */
export const DEFAULT_PAYMENT_METHOD_ID: PaymentMethodId = 1;

export const paymentMethods: readonly PaymentMethod[] = paymentMethodList;

/** The way to pay with this code. */
export function paymentMethodById(id: number): PaymentMethod | undefined {
  return paymentMethods.find((method) => method.id === id);
}
