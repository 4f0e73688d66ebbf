/** The lexicons of `/dev`. Each describes a method, its parameters and its answer. */
import addFault from './lexicons/addFault.json' with { type: 'json' }
import approveRequest from './lexicons/approveRequest.json' with { type: 'json' }
import clearFaults from './lexicons/clearFaults.json' with { type: 'json' }
import createAccount from './lexicons/createAccount.json' with { type: 'json' }
import createAppPassword from './lexicons/createAppPassword.json' with { type: 'json' }
import createSnapshot from './lexicons/createSnapshot.json' with { type: 'json' }
import defs from './lexicons/defs.json' with { type: 'json' }
import deleteSnapshot from './lexicons/deleteSnapshot.json' with { type: 'json' }
import getAccount from './lexicons/getAccount.json' with { type: 'json' }
import getClock from './lexicons/getClock.json' with { type: 'json' }
import killServer from './lexicons/killServer.json' with { type: 'json' }
import listAccounts from './lexicons/listAccounts.json' with { type: 'json' }
import listEvents from './lexicons/listEvents.json' with { type: 'json' }
import listFaults from './lexicons/listFaults.json' with { type: 'json' }
import listLexicons from './lexicons/listLexicons.json' with { type: 'json' }
import listMail from './lexicons/listMail.json' with { type: 'json' }
import listRequests from './lexicons/listRequests.json' with { type: 'json' }
import listServers from './lexicons/listServers.json' with { type: 'json' }
import loadWorld from './lexicons/loadWorld.json' with { type: 'json' }
import moveAccount from './lexicons/moveAccount.json' with { type: 'json' }
import moveClock from './lexicons/moveClock.json' with { type: 'json' }
import pauseServer from './lexicons/pauseServer.json' with { type: 'json' }
import removeFault from './lexicons/removeFault.json' with { type: 'json' }
import requireMailedCode from './lexicons/requireMailedCode.json' with { type: 'json' }
import reset from './lexicons/reset.json' with { type: 'json' }
import restartServer from './lexicons/restartServer.json' with { type: 'json' }
import restoreSnapshot from './lexicons/restoreSnapshot.json' with { type: 'json' }
import resumeServer from './lexicons/resumeServer.json' with { type: 'json' }

/** By the last part of their NSIDs. */
export const lexicons = {
  addFault,
  approveRequest,
  clearFaults,
  createAccount,
  createAppPassword,
  createSnapshot,
  defs,
  deleteSnapshot,
  getAccount,
  getClock,
  killServer,
  listAccounts,
  listEvents,
  listFaults,
  listLexicons,
  listMail,
  listRequests,
  listServers,
  loadWorld,
  moveAccount,
  moveClock,
  pauseServer,
  removeFault,
  requireMailedCode,
  reset,
  restartServer,
  restoreSnapshot,
  resumeServer,
}
