import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call, errorText } from "../../api/client.ts";
import { keepHiddenSellers } from "../../api/hidden-sellers.ts";
import { queries } from "../../api/queries.ts";

export interface SignOut {
  readonly signOut: () => void;
  readonly isBusy: boolean;
  /** What the server said, or why it could not; empty before. */
  readonly message: string;
}

/** Asks, ends the session, and forgets the person on this page. */
export function useSignOut(): SignOut {
  const client = useQueryClient();
  const [isBusy, setIsBusy] = useState(false);
  const [message, setMessage] = useState("");

  const leave = async (): Promise<void> => {
    setIsBusy(true);
    try {
      setMessage((await call("signOut")).message);
      client.setQueryData(queries.user.queryKey, null);
      keepHiddenSellers(new Set());
    } catch (error) {
      setMessage(errorText(error));
    } finally {
      setIsBusy(false);
    }
  };
  const signOut = (): void => {
    if (window.confirm("Voulez-vous vraiment vous déconnecter ?")) void leave();
  };
  return { signOut, isBusy, message };
}
