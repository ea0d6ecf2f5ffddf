import { Notifications } from "@mantine/notifications";
import { MAX_TOASTS } from "../ui/toast.tsx";
import { LibraryProvider } from "./library-provider.tsx";

export function Toasts() {
  return (
    <LibraryProvider>
      <Notifications position="bottom-right" limit={MAX_TOASTS} zIndex={500} />
    </LibraryProvider>
  );
}
