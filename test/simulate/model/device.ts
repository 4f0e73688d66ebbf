/** A device that gets the notifications of an account by push. */
import type { Machine } from '../world/machine.ts'
import type { SignIn } from './sign-in.ts'
import type { Status } from './status.ts'
import type { Truth } from './time-span.ts'

export interface Device {
  /** At the push service. */
  readonly token: string
  /** The session that it was registered by, with which the registration ends. Undefined while that is not known. */
  readonly signIn: SignIn | undefined
  /** Whose server pushes to it. The account may have moved since. */
  readonly machine: Machine
  isRegistered: Truth
  /** Whether it was registered at the last check. */
  isChecked: boolean
  /** The status of the account at the last check. */
  statusAtCheck?: Status | undefined
}

/** Whether a device may get a push. */
export function mayGetPush({ isRegistered, signIn }: Device): boolean {
  return isRegistered !== 'no' && signIn?.isOpen !== 'no'
}
