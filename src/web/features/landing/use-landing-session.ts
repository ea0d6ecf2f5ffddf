import { useSession, type Session } from "../../api/session.ts";
import { useIsInBrowser } from "./use-is-in-browser.ts";

const UNKNOWN: Session = { user: null, isKnown: false, isSubscriber: false };

/** Who is here; nobody yet while a page that was drawn ahead is being taken over, since it was drawn for everybody. */
export function useLandingSession(): Session {
  const session = useSession();
  return useIsInBrowser() ? session : UNKNOWN;
}
