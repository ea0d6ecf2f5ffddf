import { expect, test } from "vitest";
import { parseSupportEmail } from "./page-document.ts";

test("the operator's address is taken as it stands", () => {
  expect(parseSupportEmail("aide@boutique.example")).toBe("aide@boutique.example");
  expect(parseSupportEmail("  aide@boutique.example ")).toBe("aide@boutique.example");
});

test("nothing, the word that the server replaces, and what is no address are all no address", () => {
  for (const content of [null, "", "__SUPPORT_EMAIL__", "aide", "a@b@c", "x@y z", "<a@b.example>"]) {
    expect(parseSupportEmail(content)).toBeNull();
  }
});
