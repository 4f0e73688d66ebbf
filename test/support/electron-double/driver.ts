/** The process that drives this one: it has the browser and simulates the person and the system. */
import { createRpc } from './rpc.ts'

export const driver = createRpc(process)

/** Calls the driver without waiting for the result. */
export function notifyDriver(name: string, ...args: unknown[]): void {
  driver.call(name, ...args).catch(() => {})
}
