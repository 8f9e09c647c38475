import { serve } from '../main.ts';

process.exitCode = await serve(process);
// The channel would keep the process alive.
process.disconnect?.();
