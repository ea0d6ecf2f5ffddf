import { describeAccounts } from "./people/accounts.suite.ts";
import { describeAlerts } from "./people/alerts.suite.ts";
import { describeArchive } from "./market/archive.suite.ts";
import { describeAudit } from "./audit.suite.ts";
import { describeErasure } from "./people/erasure.suite.ts";
import { describeFacts } from "./market/facts.suite.ts";
import { describeFilters } from "./market/filters.suite.ts";
import { describeListings } from "./market/listings.suite.ts";
import { describeNodes } from "./nodes.suite.ts";
import { describeSellers } from "./people/sellers.suite.ts";
import { describeSessions } from "./people/sessions.suite.ts";
import { describeSettings } from "./people/settings.suite.ts";
import { describeStories } from "./purchases/stories.suite.ts";
import { type OpenEmptyStore, storeForAll } from "./suite-store.suite.ts";
import { describeUsers } from "./people/users.suite.ts";

/** The tests that every engine must pass. */
export function describeStore(open: OpenEmptyStore): void {
  const underTest = { shared: storeForAll(open), open };
  describeUsers(underTest);
  describeSessions(underTest);
  describeFilters(underTest);
  describeSettings(underTest);
  describeSellers(underTest);
  describeAccounts(underTest);
  describeListings(underTest);
  describeFacts(underTest);
  describeArchive(underTest);
  describeStories(underTest);
  describeAlerts(underTest);
  describeAudit(underTest);
  describeErasure(underTest.shared);
  describeNodes(underTest);
}
