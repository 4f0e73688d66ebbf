import { count, formatDateTime, formatNumber } from '../format.ts'

const requirements = { one: 'requirement', other: 'requirements' }

/** Texts of the screen “Protocol check”. */
export const conformance = {
  lead: 'Checks whether apps, relays and other servers can work with this server.',
  notOwner: 'Only the owner of this server can check it.',
  title: 'Check this server',
  detail:
    'Takes about half a minute. It signs in, writes and deletes with an account that is made for the check and deleted after it. Your accounts stay as they are, and can be used meanwhile.',
  start: 'Check',
  again: 'Check again',
  stop: 'Stop',
  starting: 'Making an account for the check',
  running: (done: number, total: number) => `${formatNumber(done)} of ${count(total, requirements)}`,
  progress: 'Progress of the check',
  ended: (at: string, url: string) => `Checked ${url} on ${formatDateTime(at)}.`,
  ends: {
    stopped: (at: string) => `Stopped on ${formatDateTime(at)}. The requirements so far are below.`,
    wrongServer: (url: string, reason: string) =>
      `${url} does not lead to this server from here: ${reason}. Check the public address under Network.`,
    unanswered: (url: string) =>
      `${url} no longer answered, so the other requirements were not tried. Check the public address under Network, then check again.`,
    late: (url: string) =>
      `${url} was too slow, so the other requirements were not tried. Check again when this computer has less to do.`,
    failed: 'The check ended by an error. The log of the server has the reason. Try again.',
  },
  allMet: 'This server meets every must that could be tried.',
  onlyHere: 'This address is of this computer alone: apps and servers elsewhere do not reach it.',
  meaning:
    'Apps, relays and other servers depend on a must, and work without a should. Information is neither good nor bad. The reason why a requirement was skipped is beside it.',
  mustFailed: (failed: number) =>
    `${count(failed, { one: 'must is', other: 'musts are' })} not met: some apps, relays or other servers may not work with this server. Your data are not affected. Install the newest version and check again. If it still fails, copy the results as Markdown and send them to the people who make this program.`,
  noneTitle: 'No check yet',
  noneText: 'Results appear here while the check runs, and stay until the server restarts.',
  noMatch: 'No matching requirements',
  noMatchText: 'Requirements that match the filters appear here.',
  filters: 'Filters',
  search: 'Requirement',
  searchPlaceholder: 'stream.commit',
  outcomes: 'Result',
  outcome: { any: 'All', failed: 'Not met', skipped: 'Skipped', passed: 'Met' },
  levels: {
    must: 'must',
    should: 'should',
    info: 'information',
  },
  list: 'Requirements',
  shown: (shown: number) => `${count(shown, requirements)}.`,
  counts: 'Results by level',
  level: 'Level',
  copyMarkdown: 'Copy as Markdown',
  markdownTitle: (url: string) => `Protocol check of ${url}`,
  columns: ['area', 'id', 'level', 'result', 'requirement', 'reason'],
}
