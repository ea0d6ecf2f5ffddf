/** The marketplace's two payment methods (specification §3). */
const paymentMethodList = [
  { id: 1, label: "Carte Bancaire" },
  { id: 11, label: "Vinted Wallet" },
] as const;

export type PaymentMethodId = (typeof paymentMethodList)[number]["id"];

export interface PaymentMethod {
  readonly id: PaymentMethodId;
  readonly label: string;
}

/** The default of new filters and empty settings (specification §3). */
export const DEFAULT_PAYMENT_METHOD_ID: PaymentMethodId = 1;

export const paymentMethods: readonly PaymentMethod[] = paymentMethodList;

export function paymentMethodById(id: number): PaymentMethod | undefined {
  return paymentMethods.find((method) => method.id === id);
}
