import { parentPort, workerData } from 'node:worker_threads';
import { allRoutes, openApi } from '@fanion/contract';

export interface DocumentToBuild {
  readonly version: string;
  readonly serverUrl: string;
}

/** The thread that builds the API document, which takes half a second, and ends. */
parentPort?.postMessage(JSON.stringify(openApi(allRoutes, workerData as DocumentToBuild)));
