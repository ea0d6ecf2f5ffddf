import { expect, test } from "vitest";
import { companyLinks, legalLinks, legalPageAt, legalPageTitle } from "./legal-pages.ts";

test("the footer's links are those of the specification, in its order", () => {
  expect(companyLinks.map(({ label }) => label)).toEqual(["About", "Blog", "Careers", "Contact"]);
  expect(legalLinks.map(({ label }) => label)).toEqual(["Terms", "Privacy", "Cookies", "GDPR"]);
});

test("every link is found again at its own path, with or without a slash at its end", () => {
  const links = [...companyLinks, ...legalLinks];
  expect(new Set(links.map(({ path }) => path)).size).toBe(links.length);
  for (const { key, path, title } of links) {
    expect(legalPageAt(path)).toBe(key);
    expect(legalPageAt(`${path}/`)).toBe(key);
    expect(legalPageTitle(key)).toBe(title);
  }
});

test("any other path is none of them", () => {
  for (const path of ["", "/", "//", "/blog/1", "/Blog", "/blog//", "/synapse/articles", "/__proto__"]) {
    expect(legalPageAt(path)).toBeNull();
  }
});
