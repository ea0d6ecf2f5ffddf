import { useQueryClient } from "@tanstack/react-query";
import { alertCentre, alertJournal } from "../../api/alerts/alert-centre.ts";
import { showError } from "../../ui/toasts/show-toast.ts";
import { keepFocusInPage } from "../../ui/windows/keep-focus.ts";

/** Options of a mutation that changes the alert centre: what is on the screen is read again, also after a failure. */
export function useCentreChange() {
  const client = useQueryClient();
  return {
    onSettled: async () => {
      await client.invalidateQueries({ queryKey: alertCentre.queryKey });
      await client.invalidateQueries({ queryKey: alertJournal.queryKey });
      keepFocusInPage();
    },
    onError: showError,
  };
}
