/** The reason of a failed start, and how the window answers it: port in use, folder in use, data damaged or not writable. */
import { join } from 'node:path'
import type { Config } from '../../server/platform/config/config.ts'
import { lockName } from '../../server/store/files/layout.ts'
import {
  StoreDamaged,
  StoreLocked,
  StoreLockLost,
  StoreTooNew,
  StoreTooOld,
  StoreUnavailable,
} from '../../server/store/files/store-errors.ts'
import type { ServerState, StartFailure } from '../ground/bridge.ts'

export type Failed = Extract<ServerState, { kind: 'failed' }>

const writeErrorCodes = ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST', 'ENOSPC', 'EISDIR']

/** Returns the screen that the window shows, and its sentence. */
export function failureOf(
  error: unknown,
  { port, proxyPort, dataDir }: Pick<Config, 'port' | 'dataDir'> & Partial<Pick<Config, 'proxyPort'>>,
): Failed {
  const fail = (failure: StartFailure, message: string, path?: string) =>
    ({ kind: 'failed', failure, message, port, path }) as const
  if (error instanceof StoreDamaged) {
    const { file, reason, movedTo } = error
    const kept = movedTo === undefined ? '' : ` It was kept as ${movedTo}.`
    return fail('damaged', `${file} ${reason}.${kept} Nothing was deleted.`, movedTo ?? file)
  }
  if (error instanceof StoreTooNew) return fail('too-new', error.message, error.file)
  if (error instanceof StoreTooOld) return fail('too-old', error.message, error.file)
  if (error instanceof StoreLocked)
    return fail('already-running', error.message, join(error.directory, lockName))
  if (error instanceof StoreLockLost) return fail('already-running', error.message, dataDir)
  if (error instanceof StoreUnavailable)
    return fail('not-writable', `${dataDir} cannot be written: ${error.message}`, dataDir)
  const { code = '', syscall, message, port: taken } = toError(error)
  if (code === 'EADDRINUSE' && taken !== undefined && taken === proxyPort)
    return fail(
      'other',
      `Port ${taken}, to which the proxy or tunnel leads, is in use by another program. Quit that program, or change the port on the Network screen.`,
    )
  if (code === 'EADDRINUSE') return fail('port-taken', `Port ${port} is in use by another program.`)
  if (syscall === 'listen' && code === 'EACCES')
    return fail('other', `This system does not let a program listen on port ${port}. Choose one above 1023.`)
  if (writeErrorCodes.includes(code))
    return fail('not-writable', `${dataDir} cannot be written: ${message}`, dataDir)
  return fail('other', message)
}

function toError(error: unknown): NodeJS.ErrnoException & { readonly port?: number } {
  return error instanceof Error ? error : new Error(String(error))
}
