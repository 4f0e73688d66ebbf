/** Whether the system says that the connection to the internet is metered. macOS does not say it to other programs than its own. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { elapsed } from '../../util/timers.ts'

/** A command, and what its output says on a metered connection. */
interface Question {
  readonly command: readonly [string, ...string[]]
  readonly isYes: RegExp
}

const network = 'org.freedesktop.NetworkManager'
const connection =
  '[Windows.Networking.Connectivity.NetworkInformation,Windows.Networking.Connectivity,ContentType=WindowsRuntime]'

export const questions: Partial<Record<NodeJS.Platform, Question>> = {
  linux: {
    command: ['busctl', 'get-property', network, '/org/freedesktop/NetworkManager', network, 'Metered'],
    // NM_METERED_YES and NM_METERED_GUESS_YES.
    isYes: /^u [13]\s*$/,
  },
  win32: {
    command: [
      'powershell.exe',
      '-NoProfile',
      '-NonInteractive',
      '-Command',
      `${connection}::GetInternetConnectionProfile().GetConnectionCost().NetworkCostType`,
    ],
    isYes: /^(Fixed|Variable)\s*$/,
  },
}

/** The command takes a share of a second of computing time. */
const validMs = 5 * 60_000
const limitMs = 20_000

/** Returns a check whose answer is cached for five minutes. If there is none, the connection counts as unmetered. @param signal ends the command */
export function createMeteredCheck(
  question: Question | undefined,
  signal?: AbortSignal,
): () => Promise<boolean> {
  let answer: { readonly at: number; readonly isMetered: Promise<boolean> } | undefined
  return () => {
    if (!question) return Promise.resolve(false)
    if (!answer || elapsed() - answer.at >= validMs) {
      answer = { at: elapsed(), isMetered: ask(question, signal) }
    }
    return answer.isMetered
  }
}

async function ask({ command: [file, ...args], isYes }: Question, signal?: AbortSignal): Promise<boolean> {
  try {
    const { stdout } = await promisify(execFile)(file, args, { timeout: limitMs, windowsHide: true, signal })
    return isYes.test(stdout)
  } catch {
    return false
  }
}
