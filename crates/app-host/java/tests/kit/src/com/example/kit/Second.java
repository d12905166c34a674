package com.example.kit;

public class Second extends First {}
