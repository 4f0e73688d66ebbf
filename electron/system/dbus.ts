/** Calls on the Linux desktop bus, through whichever of its command line tools is installed. Not seen on a real desktop yet. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

export interface BusCall {
  readonly destination: string
  readonly path: string
  readonly interface: string
  readonly method: string
  readonly args: readonly string[]
}

const timeoutMs = 1000

type Arguments = (call: BusCall) => readonly string[]

const tools: Readonly<Record<string, Arguments>> = {
  'dbus-send': (call) => [
    ...['--session', '--print-reply', `--dest=${call.destination}`, call.path],
    ...[`${call.interface}.${call.method}`, ...call.args.map((arg) => `string:${arg}`)],
  ],
  busctl: (call) => [
    ...['--user', 'call', call.destination, call.path, call.interface, call.method],
    ...['s'.repeat(call.args.length), ...call.args],
  ],
  gdbus: (call) => [
    ...['call', '--session', '--dest', call.destination, '--object-path', call.path],
    ...['--method', `${call.interface}.${call.method}`, ...call.args],
  ],
}

/** @returns the reply as the tool prints it; undefined if the call fails or no tool is installed */
export async function callBus(call: BusCall): Promise<string | undefined> {
  for (const [tool, argumentsFor] of Object.entries(tools)) {
    try {
      const { stdout } = await promisify(execFile)(tool, argumentsFor(call), { timeout: timeoutMs })
      return stdout
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return undefined
    }
  }
  return undefined
}

/** Calls a method of the bus daemon that takes a bus name. */
export function askBus(method: string, name: string): Promise<string | undefined> {
  return callBus({
    destination: 'org.freedesktop.DBus',
    path: '/org/freedesktop/DBus',
    interface: 'org.freedesktop.DBus',
    method,
    args: [name],
  })
}
