import { describeAccounts } from "./accounts.suite.ts";
import { describeAlerts } from "./alerts.suite.ts";
import { describeAudit } from "./audit.suite.ts";
import { describeErasure } from "./erasure.suite.ts";
import { describeFilters } from "./filters.suite.ts";
import { describeListings } from "./listings.suite.ts";
import { describeNodes } from "./nodes.suite.ts";
import { describePreparedReads } from "./prepared-read.suite.ts";
import { describeSessions } from "./sessions.suite.ts";
import { describeSettings } from "./settings.suite.ts";
import { describeStories } from "./stories.suite.ts";
import type { OpenEmptyStore } from "./suite-store.suite.ts";
import { storeForAll } from "./suite-store.suite.ts";
import { describeUsers } from "./users.suite.ts";

/** What every engine must do alike: all that the rooms rely on. */
export function describeStore(open: OpenEmptyStore): void {
  const underTest = { shared: storeForAll(open), open };
  describeUsers(underTest);
  describeSessions(underTest);
  describeFilters(underTest);
  describeSettings(underTest);
  describeAccounts(underTest);
  describeListings(underTest);
  describeStories(underTest);
  describeAlerts(underTest);
  describeAudit(underTest);
  describeErasure(underTest.shared);
  describeNodes(underTest);
  describePreparedReads(underTest);
}
