import { expect, test } from "vitest";
import { parseArchiveDays, parseSupportEmail } from "./page-document.ts";

test("the operator's address is taken as it stands", () => {
  expect(parseSupportEmail("aide@boutique.example")).toBe("aide@boutique.example");
  expect(parseSupportEmail("  aide@boutique.example ")).toBe("aide@boutique.example");
});

test("nothing, the word that the server replaces, and what is no address are all no address", () => {
  for (const content of [null, "", "__SUPPORT_EMAIL__", "aide", "a@b@c", "x@y z", "<a@b.example>"]) {
    expect(parseSupportEmail(content)).toBeNull();
  }
});

test("a number of days is one within the setting's bounds, and nothing else is", () => {
  expect(["1", "7", " 30 ", "90"].map(parseArchiveDays)).toEqual([1, 7, 30, 90]);
  for (const content of [null, undefined, "", "__ARCHIVE_DAYS__", "0", "91", "7.5", "30 jours"]) {
    expect(parseArchiveDays(content)).toBeNull();
  }
});
