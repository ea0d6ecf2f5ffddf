import { expect, test } from "vitest";
import { asFilterId } from "#domain/ids.ts";
import { aListing } from "#verify/testing/a-listing.ts";
import { articleAlert, groupAlert } from "./alerte.ts";

test.each([37, 38, 39, 117, 118, 119, 120])(
  "a text is not cut within a character (%i letters)",
  (letters) => {
    const text = `${"a".repeat(letters)}👗👗👗`;
    const listing = aListing({ title: text, brandTitle: "", sizeTitle: text });
    const { title, body } = articleAlert(listing, { filterTag: text, filterIds: [asFilterId("f")] });
    const group = groupAlert([{ tag: text, count: 2 }]);
    for (const shown of [title, body, group.body]) expect(shown.isWellFormed()).toBe(true);
    expect(title).toMatch(/a(?:👗)*…?$/u);
  },
);
