/** The process that drives this one: it has the browser, and does what a person and a system would. */
import { createRpc } from './rpc.ts'

export const driver = createRpc(process)

/** Of what nobody waits for. */
export function tell(name: string, ...args: unknown[]): void {
  driver.call(name, ...args).catch(() => {})
}
