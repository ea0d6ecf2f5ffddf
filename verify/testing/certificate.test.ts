import { createSecureContext } from "node:tls";
import { expect, test } from "vitest";
import { selfSigned } from "./certificate.ts";

test("a certificate of any length can be served", () => {
  for (let length = 1; length <= 63; length += 1) {
    const made = selfSigned({ name: "a".repeat(length), from: new Date(), until: new Date() });
    expect(() => createSecureContext(made), `a name of ${length} letters`).not.toThrow();
  }
});
