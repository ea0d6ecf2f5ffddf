import { useMutation, type UseMutationOptions } from "@tanstack/react-query";
import { useRef } from "react";

/** Mutation key of `useSingleMutation`: the form's dialog stays open while such a mutation is pending. */
export const SENDING_KEY = ["sending"] as const;

/**
 * `useMutation` for commands that must not run twice: `mutate` does nothing while a call is in progress. `isPending` alone
 * is too late for a double click, since the handler of the second click may run before the next render.
 */
export function useSingleMutation<Answer, Sent = void>(options: UseMutationOptions<Answer, Error, Sent>) {
  const mutation = useMutation({ mutationKey: SENDING_KEY, ...options });
  const isUnderWay = useRef(false);
  const mutate = (sent: Sent): void => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    const end = (): void => {
      isUnderWay.current = false;
    };
    // Success and failure are handled by the callbacks in the options.
    mutation.mutateAsync(sent).then(end, end);
  };
  return { ...mutation, mutate };
}
