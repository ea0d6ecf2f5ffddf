import { expect, test } from "vitest";
import { DEFAULT_PAYMENT_METHOD_ID, paymentMethodById, paymentMethods } from "./payment-methods.ts";

test("people pay by card (1, the default) or wallet (11)", () => {
  expect(paymentMethods).toEqual([
    { id: 1, label: "Carte Bancaire" },
    { id: 11, label: "Vinted Wallet" },
  ]);
  expect(paymentMethodById(DEFAULT_PAYMENT_METHOD_ID)?.label).toBe("Carte Bancaire");
  expect(paymentMethodById(2)).toBeUndefined();
});
