import { useEffect, useState } from "react";
import type { Session } from "../../api/session.ts";
import { takeSignInOutcome, type SignInOutcome } from "../../api/sign-in-trace.ts";

const texts: Readonly<Record<SignInOutcome, string>> = {
  none: "",
  refused: "La connexion n'a pas abouti : elle a été refusée ou a expiré. Réessayez.",
  forgotten:
    "Discord vous a reconnu, mais votre navigateur n'a pas gardé la connexion. Autorisez les cookies de ce site, quittez la navigation privée, puis réessayez.",
};

/** Why somebody who just came back from signing in is still nobody; empty for everybody else. */
export function useSignInOutcome({ isKnown, user }: Session): string {
  const [outcome, setOutcome] = useState<SignInOutcome>("none");
  const isNobody = isKnown && user === null;
  useEffect(() => {
    if (!isKnown) return;
    const taken = takeSignInOutcome(window.location.hash);
    if (taken === "none" || !isNobody) return;
    setOutcome(taken);
    document.getElementById("login")?.scrollIntoView();
  }, [isKnown, isNobody]);
  return isNobody ? texts[outcome] : "";
}
