/** The notifications that are pushed to an account, as the desktop gets them. */
import { arrivedPushes, type Push } from '../../../server/app/push/pushed.ts'
import type { RunningServer } from '../../../server/server.ts'

/** Calls the listener for each pushed notification of an account. @returns a function that stops it */
export function watchPushes(
  services: Pick<RunningServer['services'], 'store' | 'origin' | 'app'>,
  did: string,
  listener: (push: Push) => void,
): () => void {
  return services.app.notifications.subscribe((arrivals) => {
    for (const push of arrivedPushes({ ...services, ...services.app }, did, arrivals)) listener(push)
  })
}
