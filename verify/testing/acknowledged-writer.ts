/**
 * A program for tests that kill a process: opens the store in the data directory given as its argument,
 * writes in an endless loop, and prints a line for each acknowledged write.
 */
import { asListingId } from "#domain/ids.ts";
import { openStore } from "#store/open-store.ts";
import { aListing, aSeenListing } from "./a-listing.ts";
import { aMatch } from "./a-match.ts";
import { aUser } from "./a-user.ts";
import { testStoreOptions } from "./test-store.ts";

const [, , dataDir = ""] = process.argv;
const store = await openStore(testStoreOptions(dataDir));
const { user } = await store.users.signIn(aUser(), 1);
process.stdout.write("open\n");

for (let n = 1; ; n += 1) {
  const listing = aSeenListing({ listing: aListing({ id: asListingId(n) }) });
  const match = aMatch({ userId: user.id, listing, cursor: String(n) });
  const mark = { key: "killed", lastReadAtMs: n, highestListingId: n };
  await store.listings.record({ listings: [listing], matches: [match], marks: [mark] });
  process.stdout.write(`${n}\n`);
}
