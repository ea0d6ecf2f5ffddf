import { useMutation, type UseMutationOptions } from "@tanstack/react-query";
import { useRef } from "react";

/**
 * As `useMutation`, for what must not happen twice: while one is under way a further press does nothing, also before the
 * page has been drawn with its buttons busy.
 */
export function useSingleMutation<Answer, Sent = void>(options: UseMutationOptions<Answer, Error, Sent>) {
  const mutation = useMutation(options);
  const isUnderWay = useRef(false);
  const mutate = (sent: Sent): void => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    const end = (): void => {
      isUnderWay.current = false;
    };
    // What it came to is told by the options' own callbacks.
    mutation.mutateAsync(sent).then(end, end);
  };
  return { ...mutation, mutate };
}
