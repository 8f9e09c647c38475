#!/usr/bin/env node
import '@fanion/cli/main';
